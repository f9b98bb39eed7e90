"""Measures with labels: do topics predict the classes that people gave documents?"""
