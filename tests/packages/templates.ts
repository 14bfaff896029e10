import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../structure/source.js'
import type { Isolated } from './isolated.js'

const run = promisify(execFile)
/** The templates that are type-checked and run with the packed packages. */
export const packed: readonly string[] = ['coding', 'rag', 'vitest', 'ci']

const projectOf = (template: string) => `template-${template}`

/** The packages that the project of each template asks for, by the directory of a project for it. */
export async function templateProjects(): Promise<ReadonlyMap<string, readonly string[]>> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-templates-'))
  const command = join(root, 'packages/jurist/dist/command/main.js')
  try {
    const projects = packed.map(async (template) => {
      const place = join(directory, template)
      mkdirSync(place)
      await run(process.execPath, [command, 'init', '--template', template], { cwd: place })
      const { devDependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
      return [projectOf(template), Object.keys(devDependencies)] as const
    })
    return new Map(await Promise.all(projects))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The templates of `jurist init` in projects that have what their `package.json` names, and nothing else. */
export function packedTemplates(installed: () => Isolated): void {
  test.each(packed)('the template %s works with the packed packages that it asks for', async (template) => {
    const cwd = join(installed().projects, projectOf(template))
    const bin = (name: string) => join(cwd, 'node_modules/.bin', name)
    await run(bin('jurist'), ['init', '--template', template], { cwd })
    if (existsSync(join(cwd, 'tsconfig.json'))) await run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd })
    if (template === 'vitest') {
      const { stdout } = await run(join(root, 'node_modules/.bin/vitest'), ['run'], { cwd })
      expect(stdout).toMatch(/Tests .*\d+ passed/)
    } else {
      const { stdout } = await run(bin('jurist'), ['run'], { cwd })
      expect(stdout).toMatch(/Passed +\d+ of \d+ decided/)
    }
  })
}
