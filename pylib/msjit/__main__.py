"""python -m msjit [options] script.py [args...] | -m module [args...] | -c code [args...]"""
from msjit.cli import main

if __name__ == "__main__":
    main()
