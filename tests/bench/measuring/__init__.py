"""What every row of the benchmark needs: corpora, clocks, the machine, and builds of older commits."""
