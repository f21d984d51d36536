"""Experts mark essays up; their coordinator gives the essays out and watches."""
