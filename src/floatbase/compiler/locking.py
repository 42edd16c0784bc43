"""One lock for whatever makes code: LLVM serves one thread at a time, and forks wait until it is at rest.

A process that is forked while another thread is inside LLVM would find LLVM's locks taken for ever.
"""

from __future__ import annotations

import os
import threading

making_code = threading.RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=making_code.acquire, after_in_parent=making_code.release, after_in_child=making_code.release
    )
