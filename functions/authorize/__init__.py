"""The authorizer: tokens to identities."""
