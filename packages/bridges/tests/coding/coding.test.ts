import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { addedVariables, openHome, processEnvironment } from '../../src/coding/environment.js'
import { withLoginRemedy } from '../../src/coding/failures.js'
import { fromRoot, isInside, pathsFromRoot } from '../../src/coding/relative-path.js'
import { untilStopped } from '../../src/coding/stop-agent.js'

describe('the environment of an agent', () => {
  const parts = {
    given: { set: { A: 'set', B: 'set' } },
    task: { env: { B: 'task' } },
    quiet: { A: 'quiet', Q: '1' },
    home: '/home/x',
  }

  test('later ones win', () => {
    const variables = processEnvironment(parts)
    expect(variables).toMatchObject({
      A: 'set',
      B: 'task',
      Q: '1',
      HOME: '/home/x',
      CI: 'true',
      NO_COLOR: '1',
    })
  })

  test('nothing of the host but the base list and what is allowed', () => {
    process.env['SECRET_OF_HOST'] = 'x'
    try {
      expect(processEnvironment(parts)).not.toHaveProperty('SECRET_OF_HOST')
      const allowing = { ...parts, given: { allow: ['SECRET_OF_HOST', 'NOT_THERE'] } }
      expect(processEnvironment(allowing)).toMatchObject({ SECRET_OF_HOST: 'x' })
      expect(addedVariables(allowing)).toMatchObject({ SECRET_OF_HOST: 'x' })
      expect(addedVariables(allowing)).not.toHaveProperty('PATH')
      const pattern = { ...parts, given: { allow: ['SECRET_OF_*'] } }
      expect(processEnvironment(pattern)).toMatchObject({ SECRET_OF_HOST: 'x' })
    } finally {
      delete process.env['SECRET_OF_HOST']
    }
  })
})

describe('the home of an agent', () => {
  test('a scratch home is empty, below the cache of the user and not of the machine, and gone afterwards', async () => {
    let path = ''
    {
      await using home = await openHome()
      path = home.path ?? ''
      expect(readdirSync(path)).toEqual([])
      const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
      expect(path.startsWith(join(cache, 'jurist', 'scratch', 'home-'))).toBe(true)
    }
    expect(existsSync(path)).toBe(false)
  })

  test('is removed even with directories that are not writable', async () => {
    const cache = await mkdtemp(join(tmpdir(), 'jurist-cache-'))
    await chmod(cache, 0o777)
    vi.stubEnv('XDG_CACHE_HOME', cache)
    // The administrator may do anything, so somebody else has to try.
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    try {
      const home = await openHome()
      await mkdir(`${home.path}/go/mod`, { recursive: true })
      await writeFile(`${home.path}/go/mod/a.txt`, 'a')
      await chmod(`${home.path}/go/mod`, 0o500)
      await chmod(`${home.path}/go`, 0o500)
      expect(await home.remove()).toBe(true)
      expect(existsSync(home.path ?? '')).toBe(false)
    } finally {
      if (isRoot) process.seteuid?.(0)
      vi.unstubAllEnvs()
      await rm(cache, { recursive: true, force: true })
    }
  })

  test('a given one is kept, and that of the host has no path', async () => {
    expect((await openHome('/somewhere')).path).toBe('/somewhere')
    expect((await openHome('host')).path).toBeUndefined()
  })
})

describe('paths seen from the workspace', () => {
  test.each([
    ['/work/a/b.txt', 'b.txt'],
    ['/work/a', '.'],
    ['src/../b.txt', 'b.txt'],
    ['../b.txt', '/work/b.txt'],
    ['/work/ab.txt', '/work/ab.txt'],
  ])('%s is %s', (path, seen) => {
    expect(fromRoot('/work/a', path)).toBe(seen)
    expect(isInside('/work/a', path)).toBe(!seen.startsWith('/'))
  })

  test('one outside is a warning', () => {
    const warnings: string[] = []
    expect(pathsFromRoot('/work/a', ['/etc/passwd', 'a.txt'], warnings)).toEqual(['/etc/passwd', 'a.txt'])
    expect(warnings).toEqual(['outside-workspace: /etc/passwd'])
  })
})

describe('the end of an agent', () => {
  test('comes in steps: cancel, then SIGTERM, then SIGKILL', async () => {
    const steps: string[] = []
    let end = () => {}
    const work = new Promise<string>((resolve) => {
      end = () => resolve('ended')
    })
    const ladder = {
      signal: AbortSignal.abort(),
      graceMs: 20,
      cancel: () => steps.push('cancel'),
      terminate: () => {
        steps.push('terminate')
        end()
      },
      kill: () => steps.push('kill'),
    }
    expect(await untilStopped(work, ladder as never)).toBe('ended')
    expect(steps).toEqual(['cancel', 'terminate'])
  })

  test('without a login a failure ends with the remedy', () => {
    const failure = { name: 'E', message: 'No.', code: 'http-401' }
    expect(withLoginRemedy(failure, 'KEY').message).toContain("allow: ['KEY']")
    expect(withLoginRemedy({ ...failure, code: 'http-500' }, 'KEY').message).toBe('No.')
  })
})
