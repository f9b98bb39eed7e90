"""Measures with labels: do topics tell the classes that people gave documents?"""
