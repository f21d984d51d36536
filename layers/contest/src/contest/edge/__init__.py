"""Where events of HTTP and of the event channel become calls of services, and results answers."""
