import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unit as file } from './deployments.js'
import { textOf } from './example.js'

const noSystemd = existsSync('/usr/bin/systemd-analyze') ? undefined : 'needs systemd-analyze: apt-get install systemd'

test.skipIf(noSystemd)(`systemd accepts the unit [${noSystemd ?? 'systemd-analyze'}]`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-unit-'))
  const command = join(directory, 'sums/node_modules/.bin/jurist')
  mkdirSync(join(command, '..'), { recursive: true })
  writeFileSync(command, '#!/bin/sh\n')
  chmodSync(command, 0o755)
  const unit = join(directory, 'jurist-worker@sums.service')
  const complaints = (text: string) => {
    writeFileSync(unit, text.replaceAll('/srv/evals', directory))
    return spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' }).stderr
  }
  try {
    expect(complaints(textOf(file))).toBe('')
    expect(complaints(textOf(file).replace('KillMode=', 'KillMod='))).toContain('Unknown key')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
