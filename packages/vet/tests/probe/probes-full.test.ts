import { fileURLToPath } from 'node:url'
import { commandSucceeds } from '@jurist/workspace/commands'
import { expect, test } from 'vitest'
import { itemIn, passing } from './probe-fixture.js'

const item = itemIn(fileURLToPath(new URL('../fixtures/javascript', import.meta.url)))

/** A harness of one's own, which takes its tests out of a list after it has loaded the code under test. */
const harness = `const { add } = await import('./src/sums.js')
const tests = [() => { if (add(1, 2) !== 3) process.exit(1) }]
for (let place = 0; place < tests.length; place++) tests.at(place)()`

/** Limits of processor time: how busy the machine is makes no difference. */
const limited = 'ulimit -t 1; node tests/sums.test.js'

test.each([
  {
    probe: 'intrinsics-replaced',
    deceived: commandSucceeds(['node', '--input-type=module', '-e', harness]),
    strict: commandSucceeds(['node', '--frozen-intrinsics', '--input-type=module', '-e', harness]),
  },
  { probe: 'time-out', deceived: commandSucceeds(`${limited}; test $? -ne 1`), strict: commandSucceeds(limited) },
  {
    probe: 'huge-output',
    deceived: commandSucceeds('npm test > all.txt 2>&1 && exit; grep -q "ok 49999" all.txt'),
    strict: commandSucceeds(['npm', 'test']),
  },
])('$probe deceives a jury that does not look closely', async ({ probe, ...judges }) => {
  expect((await passing({ item, judges }, [probe]))[probe]).toEqual(['deceived'])
})
