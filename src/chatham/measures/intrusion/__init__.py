"""Intrusion tasks: can people tell which word or topic doesn't belong?"""
