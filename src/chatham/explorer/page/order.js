// A topic's words in the library's order, by the library's own numbers (see words.py): the same sums
// and products in the same order, so that even the last bit agrees. Ties go by spelling, which is the
// order of the list of words.

export const ORDERS = [
  ["prevalence", "Prevalence", "The word's probability in the topic"],
  ["discriminability", "Discriminability", "Probability, less for words that many topics share"],
  ["uplift", "Uplift", "Between probability (λ = 0) and exclusivity (λ = 1)"],
  ["relevance", "Relevance", "Between exclusivity (λ = 0) and probability (λ = 1)"],
];

export function hasLambda(by) {
  return by === "uplift" || by === "relevance";
}

// The first n words: [{ word (its place), probability, score }].
export function orderedWords(topic, words, by, lam, n) {
  const { entries } = topic;
  const ordering = entries.ordering ?? entries.probability;
  const score = {
    prevalence: (i) => ordering[i],
    discriminability: (i) => ordering[i] * words.discriminability[entries.word[i]],
    uplift: (i) => entries.exclusive[i] * lam + (1 - lam) * ordering[i],
    relevance: (i) => entries.log[i] - (1 - lam) * words.log_share[entries.word[i]],
  }[by];
  return entries.word
    .map((word, i) => ({ word, probability: entries.probability[i], score: score(i) }))
    .sort((a, b) => b.score - a.score || a.word - b.word)
    .slice(0, n);
}
