# What type checkers see of jit: the result of compiling has the signature of what was compiled.
from typing import Any, Callable, Dict, Optional, Type, TypeVar, Union, overload

from typing_extensions import Literal, ParamSpec, Protocol

from .common.jit_config import JitConfig as JitConfig
from .nn import Cell

_P = ParamSpec("_P")
_R = TypeVar("_R")
_C = TypeVar("_C", bound=Cell)
_T = TypeVar("_T")
_Mode = Literal["PSJit", "PIJit"]
_Capture = Literal["ast", "bytecode", "trace"]
_Level = Literal["", "O0", "O1", "O2"]
_Config = Union[JitConfig, Dict[str, Any], None]

class _Compiler(Protocol):
    @overload
    def __call__(self, fn: _C) -> _C: ...
    @overload
    def __call__(self, fn: Callable[_P, _R]) -> Callable[_P, _R]: ...

@overload
def jit(fn: _C, *, function: None = ..., mode: Optional[_Mode] = ..., capture_mode: Optional[_Capture] = ..., fullgraph: bool = ...,
        dynamic: Optional[int] = ..., jit_level: Optional[_Level] = ..., jit_config: _Config = ..., **options: Any) -> _C: ...
@overload
def jit(fn: Callable[_P, _R], *, function: None = ..., mode: Optional[_Mode] = ..., capture_mode: Optional[_Capture] = ...,
        fullgraph: bool = ..., dynamic: Optional[int] = ..., jit_level: Optional[_Level] = ..., jit_config: _Config = ...,
        **options: Any) -> Callable[_P, _R]: ...
@overload
def jit(fn: None = ..., *, function: None = ..., mode: Optional[_Mode] = ..., capture_mode: Optional[_Capture] = ...,
        fullgraph: bool = ..., dynamic: Optional[int] = ..., jit_level: Optional[_Level] = ..., jit_config: _Config = ...,
        **options: Any) -> _Compiler: ...
def jit_class(cls: Type[_T]) -> Type[_T]: ...
def graph_construct(cell: Cell, construct: Callable[..., Any]) -> Callable[..., Any]: ...
def leveled_construct(cell: Cell, construct: Callable[..., Any]) -> Callable[..., Any]: ...

class LeveledConstruct:
    function: Any
    whole: Optional[bool]
    compiled: Any
    def __init__(self, function: Any = ..., whole: Optional[bool] = ...) -> None: ...
