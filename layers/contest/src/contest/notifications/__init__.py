"""Notifications: mails to members, and signed requests to the webhooks of teams and organizers."""
