"""`python -m benchmarks` compares libraries; `python -m benchmarks.cold` measures waiting times in fresh processes."""

from benchmarks.run import main

main()
