import { flag, text } from '../flags.js'
import { gitFlags } from './flags.js'

/** The flags of `jurist import swebench` alone. */
export const swebenchFlags = {
  repositories: flag(
    '--repositories <dir>',
    'swebench: where clones of the repositories are, at owner/name, owner__name or name',
    text,
  ),
}

/** The flags of `jurist import predictions` alone. */
export const predictionFlags = {
  experiment: flag(
    '--experiment <name>',
    'predictions: whose items the patches are for (default: the only experiment of the config)',
    text,
  ),
}

const { testCommand: _tests, setup: _setup, keep: _keep, sandbox: _sandbox, resume: _resume, ...rest } = gitFlags

/** The flags of `jurist import git` that no other format takes. */
export const gitOnlyFlags = rest
