"""Infrastructure as code: one stack per contest cycle, synthesized without an AWS account or a network."""
