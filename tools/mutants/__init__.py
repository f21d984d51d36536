"""Mutation testing: one small change in the source at a time, and do the tests of its own room see it?"""
