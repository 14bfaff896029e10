#!/bin/bash
# In the directory of your project, which all nodes see: slurm/submit.sh
set -euo pipefail

shards=$(sbatch --parsable slurm/shards.sbatch)
shards=${shards%%;*} # on several clusters: their name follows
sbatch --dependency="afterany:$shards" slurm/merge.sbatch "$shards"
