"""What the stack of a cycle says about its deployment, asked of AWS CloudFormation and AWS Lambda.

An output of the stack names a function; its configuration has the variables that
all functions get, so a name exists once and no secret stands among the outputs.
"""

from __future__ import annotations

from collections.abc import Mapping

from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # the SDK has no types

from contest.adapters import aws
from contest.ports.stacks import NoStackError


class Stacks:
    """See :class:`contest.ports.stacks.Stacks`; two requests, with the rights of whoever gives the command."""

    def variables(self, stack: str, output: str) -> Mapping[str, str]:
        """See :meth:`contest.ports.stacks.Stacks.variables`."""
        try:
            found = aws.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0].get("Outputs", [])
            outputs = {each["OutputKey"]: each["OutputValue"] for each in found}
            if output not in outputs:
                raise NoStackError(
                    stack, "it has no such output: deploy it anew", "нужного вывода нет: разверните заново"
                )
            asked = aws.client("lambda").get_function_configuration(FunctionName=outputs[output])
        except (BotoCoreError, ClientError) as error:
            raise NoStackError(stack, str(error), str(error)) from None
        return dict(asked["Environment"]["Variables"])
