"""Edge of the platform: events of HTTP and of the event channel become service calls, results become answers."""
