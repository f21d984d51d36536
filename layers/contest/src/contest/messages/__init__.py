"""Messages: questions of teams with their answers, mails to members, signed requests to webhooks."""
