"""The environment of child processes: the only reader of this process's environment here."""

from __future__ import annotations

import os

REGION = "eu-central-1"
ACCOUNT = "123456789012"
# Python, the loader and temporary files need these; everything else a handler sees comes from the template.
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT", "LD_LIBRARY_PATH")


def base_environment() -> dict[str, str]:
    """Return what every child process gets: no proxy, no credentials and no AWS settings of the user's."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
        "PYTHONUNBUFFERED": "1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCOUNT_ID": ACCOUNT,
    }


def person_environment() -> dict[str, str]:
    """Return this process's own environment, for commands that a person could have typed here."""
    return dict(os.environ)
