"""The participants' exchange module, command and pilot program."""
