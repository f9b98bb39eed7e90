"""Coherence: do the words that describe a topic belong together?"""
