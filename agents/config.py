"""The training configuration: YAML in `configs/train/`, overridden by `key=value` on the command line.

Every field has its meaning beside it; an unknown key or an impossible value is an error that names the file,
the field, the value and what is allowed. Defaults are the settings that reach gap 0 on the default sheet.
The settings of each algorithm have a section of their own, described in `agents/algorithms/`. A file may say
under `by_algorithm` what differs with another algorithm than its own.
"""

from __future__ import annotations

from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, create_model, model_validator

from agents.algorithms import ALGORITHMS, Algorithm, Settings, known_algorithm
from agents.fields import Positive, Strict
from pan9_gym.envs.observation import FEATURES, PRESETS
from pan9_gym.rules import Role, RulesConfig, load_rules
from pan9_gym.rules.drawing import legal_actions
from pan9_gym.rules.errors import ConfigError, closest, validated
from pan9_gym.rules.fields import TOTALS
from pan9_gym.rules.strict_yaml import apply_override, parse_yaml, read_yaml

BY_ALGORITHM = "by_algorithm"
"""The key of a file for what differs with another algorithm."""

HOW_IT_LEARNS = frozenset(
    {
        "name",
        "observe",
        "algorithm",
        "num_decisions",
        "num_envs",
        "seed",
        "hidden_sizes",
        "early_checkpoint",
        "evaluate_every",
        "evaluations_per_doubling",
        "num_checkpoints",
        "resolve_every",
        "chart_every",
        "target_gap",
        "target_stochastic_gap",
        "stop_at_gap",
        "stop_after",
    }
)
"""Fields of a config that leave the task as it is; so do an algorithm's settings. Every other field is part
of the task: a new one keeps runs apart until it is listed here."""

Gap = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _read_observe(value: object) -> object:
    if (isinstance(value, str) and value in PRESETS) or (
        isinstance(value, list) and all(isinstance(name, str) for name in value)
    ):
        return value
    raise ValueError(f"must be {', '.join(PRESETS)} or a list of features out of {', '.join(FEATURES)}")


Observe = Annotated[str | list[str], BeforeValidator(_read_observe)]


def _read_sheets(value: object) -> object:
    if isinstance(value, str) or (
        isinstance(value, list) and value and all(isinstance(name, str) for name in value)
    ):
        return value
    raise ValueError("must be a rule sheet's name or path, or a list of at least one of them")


Sheets = Annotated[str | list[str], BeforeValidator(_read_sheets)]

RE_SOLVED = "re_solved"
"""The opponent who answers the agent best, found again while it learns."""


class DepletedShoesConfig(Strict):
    """Hands dealt from what is left of nearly finished shoes; one agent is judged on many of them."""

    cards_left: Annotated[list[Positive], Field(min_length=2, max_length=2)]
    """The fewest and the most cards that are left."""
    number: Positive = 200
    """Shoes that judge the agent, as many at each depth."""
    seed: Annotated[int, Field(ge=0)] = 1
    """Decides these shoes; training deals from others."""

    @model_validator(mode="after")
    def _as_many_at_each_depth(self) -> Self:
        low, high = self.cards_left
        if high < low:
            raise ValueError(f"cards_left {self.cards_left}: the fewest come first")
        depths = len(self.depths)
        if self.number % depths or self.number < 2 * depths:
            raise ValueError(
                f"number {self.number}: a multiple of the {depths} depths is needed, 2 each at least"
            )
        return self

    def __repr__(self) -> str:
        return f"{{cards_left: {self.cards_left}, number: {self.number}, seed: {self.seed}}}"

    @property
    def depths(self) -> range:
        """The numbers of cards left."""
        return range(self.cards_left[0], self.cards_left[1] + 1)


Config = TypeVar("Config", bound=Strict)


def _with_sections(model: type[Config]) -> type[Config]:
    """The model with a field for the settings of every algorithm."""
    sections: dict[str, Any] = {
        learner.section: (learner.settings, learner.settings()) for learner in ALGORITHMS.values()
    }
    made = create_model(
        model.__name__, __base__=model, __module__=__name__, __doc__=model.__doc__, **sections
    )
    return made


@_with_sections
class TrainConfig(Strict):
    """One training run."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")] = "run"
    """Names the run folder; set from the file's name."""
    rules: Sheets = "bicycle"
    """A rule sheet's name, or a path to one; or a list of them, which one agent learns all."""
    role: Literal["player", "banker", "both"] = "player"
    """Who learns; the banker is the player-dealer. One agent learns "both"."""
    num_players: Positive = 1
    """Players against the banker."""
    seat: Annotated[int, Field(ge=0)] = 0
    """The seat of a player who learns; the others play the logical way."""
    wagers: list[int | str] | None = None
    """Each player's wager in units, exact, such as 2 or "5/2"; default 1 each."""
    side_stakes: dict[str, int | str] | None = None
    """The one player's stakes on side bets, per unit wagered, such as {dragon: "1/20"}."""
    opponent: str = "logical_way"
    """The other role's policy: a named policy, "equilibrium", "best_response" (to the logical way), or
    "re_solved": the best response to the agent as it is, found again every `resolve_every` updates; the agent
    is then judged by its worst-case gap."""
    resolve_every: Positive = 1
    """Updates between two solutions for opponent "re_solved"."""
    shoes: DepletedShoesConfig | None = None
    """Depleted shoes instead of full ones; what is left of each is observed by the feature "shoe"."""
    observe: Observe = "total"
    """What the agent observes, as the environments take it: "total", "hand", or a list of features."""
    algorithm: Annotated[str, AfterValidator(known_algorithm)] = "ppo"
    """The learner; "maskable_ppo" for sheets that force moves."""
    num_decisions: Positive = 200_000
    """Length of the run."""
    num_envs: Annotated[int, Field(gt=0, le=65_536)] = 256
    """Environments stepped together: more make a run cheaper, as the net is asked once for all of them."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 1
    """Decides cards, exploration and initial weights."""
    hidden_sizes: Annotated[list[Positive], Field(min_length=1)] = [64, 64]  # noqa: RUF012  # pydantic copies it
    """Hidden layers of the net."""
    early_checkpoint: Positive = 4096
    """Decisions after which the early agent of the tables is kept."""
    evaluate_every: Positive = 8192
    """The most decisions between two exact evaluations."""
    evaluations_per_doubling: Annotated[int, Field(ge=0)] = 2
    """Evaluations besides, dense early and sparse late: so many while the decisions double."""
    num_checkpoints: Positive = 4
    """Evenly spaced checkpoints, the last at the end."""
    chart_every: Positive = 10
    """Evaluations between two worst-case gaps and strategy charts in TensorBoard; a chart comes only if the
    greedy policy is another than at the last one, and evaluations have taken less than 3% of the run."""
    target_gap: Gap = 0.0
    """The greedy policy's exact gap that counts as reached; per unit wagered where wagers differ."""
    target_stochastic_gap: Gap | None = None
    """The same for the stochastic policy at the end, where the benchmark asks for it."""
    stop_at_gap: Gap | None = None
    """End the run once the greedy policy's gap has been this or less at `stop_after` evaluations in a row."""
    stop_after: Positive = 5
    """See `stop_at_gap`."""

    @model_validator(mode="after")
    def _settings_fit_each_other(self) -> Self:
        between = self.learner.decisions_between_updates(self)
        if -(-self.early_checkpoint // between) * between >= self.num_decisions:
            field = f"{self.learner.section}.rollout_decisions={between}"
            raise ValueError(
                f"early_checkpoint {self.early_checkpoint}: there must be an update between it and "
                f"num_decisions={self.num_decisions}"
                + (f", and one comes every {field}" if between > 1 else "")
            )
        if self.wagers is not None and len(self.wagers) != self.num_players:
            raise ValueError(
                f"wagers {self.wagers}: one for each player is needed, so num_players={self.num_players}"
            )
        if self.seat >= (self.num_players if self.role == "player" else 1):
            raise ValueError(
                f"seat {self.seat}: a player's is 0 to {self.num_players - 1}, and the banker has none"
            )
        if self.side_stakes and self.num_players > 1:
            raise ValueError(f"side_stakes {self.side_stakes}: are judged for one player, not for several")
        if self.resolve_every > 1 and self.opponent != RE_SOLVED:
            raise ValueError(f"resolve_every {self.resolve_every}: needs opponent={RE_SOLVED!r}")
        self._check_parts()
        self._check_learner()
        return self

    def _check_parts(self) -> None:
        several = "rules" if len(self.sheets) > 1 else "role" if self.role == "both" else None
        several = several or ("shoes" if self.shoes else None)
        if several is None:
            return
        refused = {
            "num_players": self.num_players > 1,
            "wagers": self.wagers is not None,
            "side_stakes": bool(self.side_stakes),
            "opponent": self.opponent == RE_SOLVED,
            "shoes": bool(self.shoes) and several != "shoes",
        }
        for field, given in refused.items():
            if given:
                raise ValueError(
                    f"{field} {getattr(self, field)!r}: is not possible together with {several}="
                    f"{getattr(self, several)!r}"
                )
        if self.role == "both" and self.learner.scalar:
            raise ValueError(f"role 'both': {self.algorithm} takes one environment, of one role")
        if self.role == "both" and self.num_envs % 2:
            raise ValueError(f"num_envs {self.num_envs}: an even number is needed, for both roles share them")

    def _check_learner(self) -> None:
        """Refuse settings that do not fit; but say first what no setting can mend: forced moves."""
        try:
            self.learner.check(self)
        except ValueError as error:
            why = self._unlearnable()
            raise ValueError(why or str(error)) from None

    def _unlearnable(self) -> str | None:
        for sheet, role in product(self.sheets, self.roles):
            try:
                rules = load_rules(sheet)
            except ConfigError:
                return None  # is said when the environment is made
            open_totals = [total for total in TOTALS if total not in rules.naturals]  # those end the hand
            moves = [len(legal_actions(rules, role, total)) for total in open_totals]
            why = self.learner.refusal(self, 1 in moves)
            if why and max(moves) > 1:  # a role without any choice is refused for that
                return unlearnable(self.algorithm, role, rules, why)
        return None

    @property
    def sheets(self) -> tuple[str, ...]:
        """The rule sheets."""
        return (self.rules,) if isinstance(self.rules, str) else tuple(self.rules)

    @property
    def sheet(self) -> str:
        """The rule sheet of a config that has one."""
        (sheet,) = self.sheets
        return sheet

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that one agent learns."""
        return tuple(Role) if self.role == "both" else (Role(self.role),)

    @property
    def learner(self) -> Algorithm:
        """The algorithm."""
        return ALGORITHMS[self.algorithm]

    @property
    def settings(self) -> Settings:
        """The algorithm's settings."""
        found = getattr(self, self.learner.section)
        assert isinstance(found, Settings)
        return found

    @property
    def other_sections(self) -> set[str]:
        """The fields that are other algorithms' settings."""
        return {learner.section for learner in ALGORITHMS.values()} - {self.learner.section}


def unlearnable(algorithm: str, role: Role | str, rules: RulesConfig, why: str) -> str:
    """That an algorithm cannot learn a role under some rules, and why."""
    return (
        f"field 'algorithm' has the value {algorithm!r}: cannot learn the {role} under {rules.name!r}: {why}"
    )


def config_names() -> tuple[str, ...]:
    """The configs that come with the repository, sorted."""
    folder = files("pan9_gym.configs") / "train"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def load_config(source: str | Path, overrides: list[str] | None = None) -> TrainConfig:
    """Read a training config.

    Args:
        source: A name from `config_names`, or a path to a YAML file.
        overrides: Texts such as "seed=3" or "ppo.learning_rate=1e-3".

    Raises:
        ConfigError: If there is no such config, or a key or value is not allowed.
    """
    data, label, name = _read(source)
    data = {"name": name, **_for_algorithm(data, overrides or [], label)}
    _check_sections(overrides or [], str(data["algorithm"]))
    for override in overrides or []:
        apply_override(data, override)
    changed = f" with {', '.join(overrides)}" if overrides else ""
    return validated(TrainConfig, data, label + changed)


def _check_sections(overrides: list[str], algorithm: str) -> None:
    """Refuse settings of other algorithms than the one that learns: they would change nothing."""
    own = ALGORITHMS[algorithm].section if algorithm in ALGORITHMS else None
    for override in overrides:
        section = override.partition("=")[0].strip().partition(".")[0]
        if own and section != own and section in {learner.section for learner in ALGORITHMS.values()}:
            raise ConfigError(f"{override!r}: {algorithm} has no settings {section!r}; allowed: {own!r}")


def _for_algorithm(data: dict[str, Any], overrides: list[str], label: str) -> dict[str, Any]:
    """The data of a file for the algorithm that it, or an override, names."""
    variants = data.pop(BY_ALGORITHM, {})
    _check_variants(variants, label)
    overridden: dict[str, Any] = {}
    for override in overrides:
        apply_override(overridden, override)
    chosen = overridden.get("algorithm", data.get("algorithm", "ppo"))
    return {**_merged(data, variants.get(str(chosen), {})), "algorithm": chosen}


def _merged(data: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The data with changes, those of a section into the section."""
    found = dict(data)
    for key, value in changes.items():
        before = found.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            value = _merged(before, value)
        found[key] = value
    return found


def _check_variants(variants: Any, label: str) -> None:
    """Refuse differences that would make it another task.

    Raises:
        ConfigError: Naming the key and what is allowed.
    """
    if not isinstance(variants, dict) or not all(isinstance(fields, dict) for fields in variants.values()):
        raise ConfigError(f"{label}: {BY_ALGORITHM}: must be a mapping from algorithms to fields that differ")
    sections = {learner.section for learner in ALGORITHMS.values()}
    allowed = (HOW_IT_LEARNS | sections) - {"algorithm", "name"}
    for name, fields in variants.items():
        if name not in ALGORITHMS:
            raise ConfigError(
                f"{label}: {BY_ALGORITHM}: {name!r} is no algorithm{closest(str(name), ALGORITHMS)}; "
                f"known: {', '.join(ALGORITHMS)}"
            )
        for key in fields:
            if key not in allowed:
                raise ConfigError(
                    f"{label}: {BY_ALGORITHM}.{name}: {key!r} is part of the task or no field"
                    f"{closest(str(key), allowed)}; "
                    f"allowed: {', '.join(sorted(allowed))}"
                )


def config_algorithms(source: str | Path) -> tuple[str, ...]:
    """The algorithms that a config has settings for: its own, and those that it says the differences for.

    Raises:
        ConfigError: If there is no such config.
    """
    data, _, _ = _read(source)
    return tuple(dict.fromkeys((load_config(source).algorithm, *data.get(BY_ALGORITHM, {}))))


def _read(source: str | Path) -> tuple[dict[str, Any], str, str]:
    """The data of a file, what messages call it, and the run's name."""
    text = str(source)
    if isinstance(source, Path) or text.endswith((".yaml", ".yml")) or "/" in text:
        path = Path(source)
        return read_yaml(path), str(path), path.stem
    if text not in config_names():
        raise ConfigError(
            f"config {text!r} is not known{closest(text, config_names())}; "
            f"known: {', '.join(config_names())}; or give a path to a .yaml file"
        )
    file, label = files("pan9_gym.configs") / "train" / f"{text}.yaml", f"configs/train/{text}.yaml"
    return parse_yaml(file.read_text(encoding="utf-8"), label), label, text
