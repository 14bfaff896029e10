import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { configSchema } from '../../src/config/config-schema.js'
import { type Project, project, yamlConfigOf } from '../project.js'

const config = { 'jurist.config.yaml': yamlConfigOf() }

function schemaIn({ directory }: Project): string {
  return readFileSync(join(directory, 'jurist.schema.json'), 'utf8')
}

describe('jurist validate --schema', () => {
  let current = ''
  beforeEach(async () => {
    current = await configSchema()
  })

  test('writes the file that init writes, beside the config, also from a directory below', async () => {
    using made = project({ ...config, 'below/notes.txt': '' })
    const { code, stdout } = await made.jurist('-C', 'below', 'validate', '--schema')
    expect([code, stdout]).toEqual([0, 'Wrote ../jurist.schema.json.\n'])
    expect(schemaIn(made)).toBe(current)
    expect((await made.jurist('validate', '--schema')).stdout).toBe('jurist.schema.json is up to date.\n')
    using fresh = project()
    await fresh.jurist('init', '--template', 'yaml')
    expect(schemaIn(fresh)).toBe(current)
  })

  test('brings an old file up to date, which validate reports', async () => {
    using made = project(config)
    const old = JSON.parse(current)
    delete old.properties.thresholds
    made.write({ 'jurist.schema.json': JSON.stringify(old) })
    const validated = await made.jurist('validate', '--json')
    expect(validated.code).toBe(0)
    expect(JSON.parse(validated.stdout).problems).toMatchObject([
      { severity: 'warning', remedy: 'Write it again: jurist validate --schema' },
    ])
    expect((await made.jurist('validate', '--schema')).code).toBe(0)
    expect(JSON.parse((await made.jurist('validate', '--json')).stdout).problems).toEqual([])
    // A formatter changes the layout, and not what it says.
    writeFileSync(join(made.directory, 'jurist.schema.json'), JSON.stringify(JSON.parse(current), null, 8))
    expect((await made.jurist('validate', '--strict')).code).toBe(0)
  })

  test('is written for a config that is not valid yet', async () => {
    using made = project({ 'jurist.config.yaml': 'experimets: {}\n' })
    expect((await made.jurist('validate', '--schema')).code).toBe(0)
    expect(schemaIn(made)).toBe(current)
  })

  test('goes to a named file or to stdout, and replaces nothing else', async () => {
    using made = project({ ...config, 'package.json': '{}\n' })
    expect((await made.jurist('validate', '--schema', '-')).stdout).toBe(current)
    expect((await made.jurist('validate', '--schema', 'editor/config.json', '--json')).code).toBe(0)
    expect(readFileSync(join(made.directory, 'editor/config.json'), 'utf8')).toBe(current)
    const { code, stderr } = await made.jurist('validate', '--schema', 'package.json')
    expect([code, stderr]).toEqual([2, expect.stringContaining('package.json is not a schema of Jurist.')])
    expect(readFileSync(join(made.directory, 'package.json'), 'utf8')).toBe('{}\n')
    expect(existsSync(join(made.directory, 'jurist.schema.json'))).toBe(false)
  })
})
