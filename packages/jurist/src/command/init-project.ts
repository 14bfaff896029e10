import { readFileSync } from 'node:fs'

/** Files of a project that may be there already: they stay as they are. */
export const projectFiles = ['package.json', 'tsconfig.json', 'README.md', '.gitignore'] as const

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

const compilerOptions = {
  ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', strict: true, noEmit: true },
  skipLibCheck: true,
}

/** What a project is made for. */
export interface ProjectKind {
  readonly isTypeScript: boolean
  /** Whether its tests run in Vitest. */
  readonly isVitest: boolean
  /** Command lines, each with what it does. */
  readonly steps: readonly (readonly [line: string, help: string])[]
}

/** `package.json`, `README.md` and, for TypeScript, `tsconfig.json`. */
export function projectFilesOf({ isTypeScript, isVitest, steps }: ProjectKind): Readonly<Record<string, string>> {
  const own = `^${version()}`
  const manifest = {
    ...{ name: 'evals', private: true, type: 'module' },
    scripts: isVitest ? { test: 'vitest run' } : { eval: 'jurist run' },
    devDependencies: {
      ...(isVitest ? { '@jurist/vitest': own } : {}),
      ...(isTypeScript ? { '@types/node': '>=20' } : {}),
      jurist: own,
      ...(isTypeScript ? { typescript: '>=5.9' } : {}),
      ...(isVitest ? { vitest: '>=3.2' } : {}),
    },
  }
  const types = isVitest ? ['node', '@jurist/vitest'] : ['node']
  const width = Math.max(...steps.map(([line]) => line.length))
  const lines = steps.map(([line, help]) => `${line.padEnd(width)}  # ${help}`)
  return {
    'package.json': json(manifest),
    'README.md': `# Evaluations\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`,
    ...(isTypeScript ? { 'tsconfig.json': json({ compilerOptions: { ...compilerOptions, types } }) } : {}),
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
