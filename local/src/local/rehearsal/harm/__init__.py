"""What goes wrong in a rehearsal: injected faults and planted bugs."""
