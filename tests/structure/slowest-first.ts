import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Tests of one long chain of steps, the longest first. Vitest starts large files first where it has run none yet, and most of
 * these are short: without this list they begin last, and one processor waits for them.
 */
const slowest: readonly string[] = [
  'packages/jurist/tests/commands/ratchet/killed.test.ts',
  'tests/walk.test.ts',
  'packages/jurist/tests/commands/promote/planted.test.ts',
  'tests/many-machines/workers.test.ts',
  'tests/packages.test.ts',
  'examples/continuous-integration/shards.test.ts',
  'tests/vetted-examples.test.ts',
  'packages/jurist/tests/commands/store/merge-repair.test.ts',
  'site/tests/site.test.ts',
  'packages/jurist/tests/commands/worker/distributed.test.ts',
  'packages/distributed/tests/postgres/until-decided.test.ts',
  'packages/workspace/tests/commands/cheats-beside-tests.test.ts',
  'packages/jurist/tests/commands/bisect/bisect-killed.test.ts',
  'packages/jurist/tests/commands/bisect/bisect.test.ts',
  'packages/jurist/tests/terminal/widths.test.ts',
  'examples/hidden-tests/hidden-tests.test.ts',
  'packages/jurist/tests/commands/lift/lift.test.ts',
  'tests/e2e/page/views.test.ts',
  'examples/migration/migration.test.ts',
  'tests/null-comparisons.test.ts',
  'examples/repair/tests/agent.test.ts',
  'tests/e2e/page/injection.test.ts',
  'tests/e2e/page/review.test.ts',
  'packages/jurist/tests/commands/completion/completion-shells.test.ts',
  'packages/experiment/tests/run/resume-after-kill.test.ts',
  'packages/jurist/tests/commands/worker/postgres.test.ts',
  'packages/import/tests/git/import-git.test.ts',
  'packages/import/tests/swebench/import-swebench.test.ts',
  'packages/import/tests/swebench/import-predictions.test.ts',
  'packages/jurist/tests/commands/vet/vetting-killed.test.ts',
  'packages/workspace/tests/commands/isolate/isolate.test.ts',
  'packages/workspace/tests/commands/no-report.test.ts',
  'packages/workspace/tests/commands/steering.test.ts',
]

/** Starts the slowest test files first, so that no worker is left with one of them at the end. Vitest makes one of it. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slowest.indexOf(relative(this.ctx.config.root, moduleId))
      return at === -1 ? slowest.length : at
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}
