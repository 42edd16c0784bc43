r"""Laws of joints made of several: one after the other, side by side, for some of the joints.

In a `Chain` each stage commands the next: a delay, a drive, a saturation, a motor's limits; the last gives the torques.
With $y = f(u, q, \dot q)$ the output of a stage and $u$ what comes from the one before,

$$ -\frac{dy}{d\dot q} = D_f + \frac{\partial f}{\partial u}\, D_u, \qquad
   -\frac{dy}{dq} = K_f + \frac{\partial f}{\partial u}\, K_u, $$

where all derivatives are those of a joint in its own signals. In a `Sum` all laws have the same command, or none, and
their torques add up. The parameters of the parts, in order, are those of the whole, and so are the memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from floatbase.errors import ArgumentError
from floatbase.simulation.joints.composite import CompositeLaw, require_laws, split
from floatbase.simulation.joints.filters import Filter
from floatbase.simulation.laws import JointLaw, join
from floatbase.spatial.arrays import Array, zeros


@dataclass(frozen=True, eq=False)
class Sum(CompositeLaw):
    """The sum of the torques of several laws: a drive, friction, hard stops."""

    laws: tuple[JointLaw, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        require_laws(self.laws)
        sizes = {law.command_size(1) for law in self.laws} - {0}
        if len(sizes) > 1:
            raise ArgumentError(
                f"laws of a sum have one command, but take {sorted(sizes)} numbers per joint; put those that need "
                "less into a chain"
            )

    @property
    def parts(self) -> dict[str, JointLaw]:
        """The laws by their numbers."""
        return {str(number): law for number, law in enumerate(self.laws)}

    def with_parts(self, parts: Sequence[JointLaw]) -> Self:
        """The same with other laws."""
        return replace(self, laws=tuple(parts))

    def command_size(self, joints: int) -> int:
        """That of all laws that obey one."""
        return max(law.command_size(joints) for law in self.laws)

    def memory_size(self, joints: int) -> int:
        """Of all together."""
        return sum(law.memory_size(joints) for law in self.laws)

    def begin(self, position: Array, velocity: Array) -> Array:
        """The memories of all."""
        return join([law.begin(position, velocity) for law in self.laws])

    def rest(self, position: Array, velocity: Array) -> Array:
        """That of the first law that obeys a command."""
        joints = position.shape[-1]
        law = next((law for law in self.laws if law.command_size(joints)), self.laws[0])
        return law.rest(position, velocity)

    def _each(self, command: Array, memory: Array, joints: int) -> Iterator[tuple[JointLaw, Array, Array]]:
        memories = split(memory, [law.memory_size(joints) for law in self.laws])
        for law, own in zip(self.laws, memories, strict=True):
            yield law, command[..., : law.command_size(joints)], own

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What each does at the beginning of a step."""
        each = self._each(command, memory, position.shape[-1])
        return join([law.sample(own, position, velocity, part, dt) for law, own, part in each])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The sum."""
        each = self._each(command, memory, position.shape[-1])
        return sum(law.torque(own, position, velocity, part) for law, own, part in each)

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What each does at the end of a step."""
        each = self._each(command, memory, position.shape[-1])
        return join([law.remember(own, position, velocity, part, dt) for law, own, part in each])

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The sum."""
        each = self._each(command, memory, position.shape[-1])
        return sum(law.damping(own, position, velocity, part) for law, own, part in each)

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The sum."""
        each = self._each(command, memory, position.shape[-1])
        return sum(law.stiffness(own, position, velocity, part) for law, own, part in each)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The sum over those that obey the command."""
        total = zeros((self.command_size(position.shape[-1]),), position, velocity)
        for law, own, part in self._each(command, memory, position.shape[-1]):
            if own.shape[-1]:
                total = total + law.gain(own, position, velocity, part)
        return total


@dataclass(frozen=True, eq=False)
class Chain(CompositeLaw):
    """Laws each of which commands the next; the last gives the torques.

    Filters take the size of signal that comes next: those before a drive hold its command, those behind it torques.
    """

    stages: tuple[JointLaw, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        require_laws(self.stages)
        laws = [stage for stage in self.stages if not isinstance(stage, Filter)]
        for number, law in enumerate(laws):
            if law.command_size(1) == 0:
                raise ArgumentError(
                    f"{type(law).__name__} obeys no command: friction, springs and stops stand beside a chain, in a Sum"
                )
            if number > 0 and law.command_size(1) != 1:
                raise ArgumentError(
                    f"{type(law).__name__} takes {law.command_size(1)} commands per joint, but "
                    f"{type(laws[number - 1]).__name__} before it gives 1; only filters may come before it"
                )

    @property
    def parts(self) -> dict[str, JointLaw]:
        """The stages by their numbers."""
        return {str(number): law for number, law in enumerate(self.stages)}

    def with_parts(self, parts: Sequence[JointLaw]) -> Self:
        """The same with other stages."""
        return replace(self, stages=tuple(parts))

    def check_joints(self, joints: int) -> None:
        """Raise unless the parameters of all stages fit so many joints; those of filters, what goes through them."""
        for stage, size in zip(self.stages, self._channels(joints), strict=True):
            stage.check_joints(size if isinstance(stage, Filter) else joints)

    def _channels(self, joints: int) -> list[int]:
        """How many numbers go into each stage."""
        sizes, size = [], joints
        for stage in reversed(self.stages):
            size = size if isinstance(stage, Filter) else stage.command_size(joints)
            sizes.append(size)
        return sizes[::-1]

    def _memory_sizes(self, joints: int) -> list[int]:
        return [
            stage.memory_size(size if isinstance(stage, Filter) else joints)
            for stage, size in zip(self.stages, self._channels(joints), strict=True)
        ]

    def _memories(self, memory: Array, joints: int) -> list[Array]:
        return split(memory, self._memory_sizes(joints))

    def command_size(self, joints: int) -> int:
        """That of the first stage."""
        return self._channels(joints)[0]

    def memory_size(self, joints: int) -> int:
        """Of all together."""
        return sum(self._memory_sizes(joints))

    def rest(self, position: Array, velocity: Array) -> Array:
        """That of the first stage that is no filter."""
        return self._rests(position, velocity)[0]

    def _rests(self, position: Array, velocity: Array) -> list[Array]:
        signals, signal = [], zeros((position.shape[-1],), position, velocity)
        for stage in reversed(self.stages):
            signal = signal if isinstance(stage, Filter) else stage.rest(position, velocity)
            signals.append(signal)
        return signals[::-1]

    def begin(self, position: Array, velocity: Array) -> Array:
        """The memories of all; filters begin as if the command of rest had gone through them for long."""
        return join(
            [
                stage.begin_with(signal) if isinstance(stage, Filter) else stage.begin(position, velocity)
                for stage, signal in zip(self.stages, self._rests(position, velocity), strict=True)
            ]
        )

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What each does at the beginning of a step, with what comes from the one before."""
        results = []
        for stage, own in zip(self.stages, self._memories(memory, position.shape[-1]), strict=True):
            results.append(stage.sample(command, position, velocity, own, dt))
            command = stage.torque(command, position, velocity, results[-1])
        return join(results)

    def _each(
        self, command: Array, position: Array, velocity: Array, memory: Array
    ) -> Iterator[tuple[JointLaw, Array, Array]]:
        for stage, own in zip(self.stages, self._memories(memory, position.shape[-1]), strict=True):
            yield stage, command, own
            command = stage.torque(command, position, velocity, own)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """What the last stage gives."""
        *_, (stage, last, own) = self._each(command, position, velocity, memory)
        return stage.torque(last, position, velocity, own)

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What each does at the end of a step."""
        each = self._each(command, position, velocity, memory)
        return join([stage.remember(signal, position, velocity, own, dt) for stage, signal, own in each])

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """By the chain rule."""
        total = 0.0 * command
        for stage, signal, own in self._each(command, position, velocity, memory):
            through = stage.gain(signal, position, velocity, own) * total
            total = stage.damping(signal, position, velocity, own) + _folded(stage, through, position.shape[-1])
        return total

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """By the chain rule."""
        total = 0.0 * command
        for stage, signal, own in self._each(command, position, velocity, memory):
            through = stage.gain(signal, position, velocity, own) * total
            total = stage.stiffness(signal, position, velocity, own) + _folded(stage, through, position.shape[-1])
        return total

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """By the chain rule."""
        total = 0.0 * command + 1.0
        for stage, signal, own in self._each(command, position, velocity, memory):
            factor = stage.gain(signal, position, velocity, own)
            total = total * join([factor] * (total.shape[-1] // factor.shape[-1]))
        return total


def _folded(stage: JointLaw, x: Array, joints: int) -> Array:
    """The sum over the commands of each joint; a filter keeps them apart."""
    if isinstance(stage, Filter):
        return x
    return sum((x[..., start : start + joints] for start in range(joints, x.shape[-1], joints)), x[..., :joints])
