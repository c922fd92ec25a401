"""What the fields of training configs and self-play plans are made of; nothing here imports PyTorch."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(gt=0)]
Rate = Annotated[float, Field(gt=0, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class Strict(BaseModel):
    """Fields of a config: known ones only, of the very type that is written, never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
