"""What only several parties need: sessions, agreeing on words, the program, sums between them."""
