"""The exchange with the platform: connection, requests, answers, times."""
