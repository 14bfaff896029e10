import { lstatSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import type { Workspace } from '@jurist/core'
import { isPlainObject, maxEntries } from '@jurist/core/internal'
import { isInside } from '../containment.js'
import { globMatcher, listTree } from '../list-tree.js'
import type { ProvisionedWorkspace } from '../provision.js'
import { below, isFile, manifestOf, sameFile } from './command-target.js'
import { copyInto, projectEntries } from './overlay.js'
import { placesOf } from './report-files.js'
import type { Overlay } from './test-options.js'

/** The tools whose runs can be steered by files next to the code. */
export type SteeredTool =
  | 'maven'
  | 'gradle'
  | 'npm'
  | 'pnpm'
  | 'yarn'
  | 'cargo'
  | 'go'
  | 'pytest'
  /** A command that may run any of them. */
  | 'command'

/** Files that replace a test library, and files that such a library loads by itself. */
const javaTests: readonly string[] = [
  '**/org/{junit,testng,opentest4j,apiguardian,hamcrest,assertj,mockito}/**',
  '**/META-INF/services/org.{junit,testng,apache.maven,codehaus.groovy,jetbrains.kotlin}.**',
  // Compilers run what these name in their own process: annotation processors, plug-ins, parts of the JDK.
  '**/META-INF/services/{javax.annotation.processing,javax.tools,java,jdk,com.sun}.**',
  '**/junit-platform.properties',
  // No project writes these, and a compiler would find them before the sources.
  '**/*.class',
]
const maven: readonly string[] = [
  '**/.mvn/{jvm.config,maven.config,extensions.xml,settings.xml}',
  // Classes that are newer than the sources laid over them would not be compiled again.
  '**/target/{classes,test-classes,maven-status}/**',
  ...javaTests,
]
const gradle: readonly string[] = [
  '{build,settings,init}.gradle{,.kts}',
  '{gradle.properties,buildSrc/**,init.d/**,.gradle/**}',
  'gradle/{*.gradle{,.kts},*.properties,*.toml}',
  '**/build/classes/**',
  ...javaTests,
]
const scripts: readonly string[] = [
  '{vitest,vite,jest,ava,playwright,playwright-ct,karma,cypress,wdio,web-test-runner}.config.*',
  'vitest.{workspace,projects}.*',
  '.{mocharc,c8rc,nycrc,taprc}{,.*}',
  // Tools look for these next to every file that they load.
  '**/{babel,postcss}.config.*',
  '**/.{babelrc,swcrc,postcssrc}{,.*}',
  '**/__mocks__/**',
  '{,.}bunfig.toml',
  'node.config.json',
  '.pnp.{cjs,js,mjs}',
  '.pnp.{data.json,loader.mjs}',
]
const npm: readonly string[] = ['.npmrc', ...scripts]
const pnpm: readonly string[] = ['.npmrc', '.pnpmfile.{cjs,mjs}', 'pnpm-workspace.yaml', ...scripts]
const yarn: readonly string[] = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn/{plugins,releases,sdks}/**', ...scripts]
const cargo: readonly string[] = ['.cargo/**', '.config/nextest.toml', 'rust-toolchain{,.toml}', '**/build.rs']
// The tests of a package are one program, which a `TestMain` in any of their files begins and ends.
const go: readonly string[] = ['go.work', 'go.work.sum', 'vendor/**', '**/*_test.go']
/**
 * The modules that `python -m pytest` and `python -m unittest` of Python 3.8 to 3.13 load before the first test,
 * measured with `-X importtime`. The workspace comes first in the path.
 */
const shadowed = [
  'pytest,_pytest,pytest_*,pluggy,iniconfig,packaging,pygments,exceptiongroup,tomli,colorama,coverage,xdist,execnet,py',
  'anyio,hypothesis,_hypothesis_*,certifi,abc,argparse,array,ast,asyncio,atexit,base64,bdb,binascii,bisect,bz2,calendar,cmd',
  'code,codecs,codeop,collections,concurrent,contextlib,contextvars,copy,copyreg,csv,dataclasses,datetime,decimal,difflib,dis',
  'doctest,email,encodings,enum,errno,faulthandler,fcntl,fnmatch,functools,genericpath,getopt,gettext,glob,grp,hashlib,heapq',
  'html,importlib,inspect,io,ipaddress,itertools,json,keyword,linecache,locale,logging,lzma,marshal,math,ntpath,numbers',
  'opcode,operator,optparse,os,pathlib,pdb,pkgutil,platform,posixpath,pprint,pwd,pyexpat,queue,quopri,random,re,readline',
  'reprlib,runpy,select,selectors,shlex,shutil,signal,site,socket,sre_compile,sre_constants,sre_parse,ssl,stat,string,struct',
  'subprocess,sysconfig,tempfile,textwrap,threading,time,token,tokenize,traceback,types,typing,unicodedata,unittest,urllib',
  'uuid,warnings,weakref,xml,zipfile,zipimport,zlib,__future__',
  '_{abc,ast,asyncio,bisect,blake2,bootlocale,bz2,codecs,collections,collections_abc,colorize,compression,contextvars,csv}',
  '_{datetime,decimal,distutils_hack,elementtree,functools,hashlib,heapq,io,json,locale,lzma,opcode,opcode_metadata}',
  '_{operator,posixsubprocess,pydecimal,random,sha512,signal,sitebuiltins,socket,sre,ssl,stat,string,struct,tokenize,typing}',
  '_{uuid,weakref,weakrefset}',
].join()
const shadows = `{${shadowed}}{,/__init__}{.py,.so,.*.so,.pyd}`
const pytest: readonly string[] = [
  '**/{conftest,sitecustomize,usercustomize}.py',
  '{,.}pytest.{ini,toml}',
  '{tox.ini,setup.cfg,pyproject.toml}',
  shadows,
  '.coveragerc',
  // Compiled files may state that they need not be compared with their sources.
  '**/__pycache__/**',
  '**/*.{pth,pyc}',
  '**/*.{egg-info,dist-info}/**',
]
const make: readonly string[] = ['{GNUmakefile,makefile,Makefile}']
const others: readonly string[] = [
  '.rspec{,-local}',
  // Test libraries that Ruby would load from the project, and places where it looks for others.
  '{.bundle/**,lib/{minitest{,/autorun,/test,/spec},rspec{,/core,/autorun},test/unit{,/testcase}}.rb}',
  'deno.json{,c}',
  'CTestCustom.{cmake,ctest}',
  'CMakeUserPresets.json',
  '{global.json,nuget.config,NuGet.config,NuGet.Config}',
  'phpunit{,.dist}.xml{,.dist}',
  'Directory.Build.{props,targets}',
  '{xunit.runner.json,.runsettings,*.runsettings}',
]

/** Version managers run what these name instead of the programs of the machine. Some of them accept a path. */
const versions: readonly string[] = [
  '.{tool-versions,python-version,node-version,nvmrc,ruby-version,java-version,go-version,sdkmanrc,vfox.toml}',
  '{,.}mise{,.*}.toml',
  '{.mise,mise,.config/mise}/**',
  '.config/mise.toml',
]

/**
 * Files that define a build and not only a run. An agent may have changed them for good reasons, and restoring them
 * from the reference would do its work.
 */
const buildDefinitions: readonly string[] = [
  '{build,settings}.gradle{,.kts}',
  '{gradle.properties,buildSrc/**}',
  'gradle/{*.gradle{,.kts},*.properties,*.toml}',
  'pnpm-workspace.yaml',
  '{.cargo/**,rust-toolchain{,.toml},**/build.rs,go.work,go.work.sum,vendor/**,**/*_test.go}',
  '{tox.ini,setup.cfg,pyproject.toml}',
  '{Directory.Build.{props,targets},global.json,nuget.config,NuGet.config,NuGet.Config,deno.json{,c}}',
  ...make,
]

/** Globs of the files that steer a run of tests, relative to the directory it runs in. */
export const steeringFiles: { readonly [tool in SteeredTool]: readonly string[] } = {
  maven: [...versions, ...maven],
  gradle: [...versions, ...gradle],
  npm: [...versions, ...npm],
  pnpm: [...versions, ...pnpm],
  yarn: [...versions, ...yarn],
  cargo: [...versions, ...cargo],
  go: [...versions, ...go],
  pytest: [...versions, ...pytest],
  command: [...new Set([versions, maven, gradle, pnpm, yarn, cargo, go, pytest, make, others].flat())],
}

/** A run of tests in a copy of the agent's work, and what may stay there. */
export interface SteeredRun {
  readonly copy: ProvisionedWorkspace
  readonly tool: SteeredTool
  /** The arguments of the tool. */
  readonly words: readonly string[] | string
  readonly env: { readonly [name: string]: string } | undefined
  /** The working directory, normalised. */
  readonly cwd: string
  /** The workspaces whose files may stay. A changed file is restored from the first one that has it. */
  readonly originals: readonly Workspace[]
  /** Paths that were laid over. */
  readonly laid: readonly string[]
  /** `absent` replaces the globs of the files that steer a run; `sources` as in the options. */
  readonly overlay: Pick<Overlay, 'absent' | 'sources'>
  readonly signal: AbortSignal
}

/**
 * Returns globs of the files that steer this run: those of the tool, and those that its settings and its loaders add.
 */
async function steeringFilesOf(run: SteeredRun): Promise<readonly string[]> {
  const own = steeringFiles[run.tool]
  const modules = own.includes(shadows) ? (await moduleDirectories(run)).map((one) => `${one}/${shadows}`) : []
  return [...own, ...modules, ...((await loadsTypes(run)) ? ['**/tsconfig*.json'] : [])]
}

/** The directories, besides that of the run, in which Python looks for modules. */
async function moduleDirectories({ copy, laid, cwd, env = {} }: SteeredRun): Promise<readonly string[]> {
  const named = (env['PYTHONPATH'] ?? '').split(':')
  for (const file of ['pyproject.toml', 'pytest.ini', '.pytest.ini', 'tox.ini', 'setup.cfg', 'setup.py']) {
    const text = await textAt(copy, below(cwd, file))
    for (const [, value = ''] of text.matchAll(pythonPath)) named.push(...value.split(/[\s"',[\]]+/))
    // The layout with the packages in a separate directory.
    if (/["'=\s]src["'\s\]]/.test(text)) named.push('src')
  }
  const inside = named.filter((one) => one !== '').map((one) => posix.normalize(below(cwd, one)))
  const beside = laid.flatMap((path) => [path, ...above(path)])
  const all = [...inside, ...beside].map((one) => one.replace(/\/$/, ''))
  return [...new Set(all)].filter((one) => one !== '.' && !one.startsWith('..') && !/[*?{}()[\]!]/.test(one))
}

const pythonPath = /^\s*pythonpath\s*=\s*(\[[^\]]*\]|.*(?:\n[ \t]+\S.*)*)/gm

/** Whether a TypeScript loader runs, which obeys a `tsconfig.json` next to any file. */
async function loadsTypes({ originals, cwd, words }: SteeredRun): Promise<boolean> {
  const texts = [JSON.stringify(words)]
  for (const original of originals)
    for (const path of new Set(['package.json', below(cwd, 'package.json')])) texts.push(await textAt(original, path))
  return texts.some((text) => /\b(?:ts-node|tsx|ts-jest|tsconfig-paths|vite-tsconfig-paths)\b/.test(text))
}

async function textAt(workspace: Workspace, path: string): Promise<string> {
  return (await isFile(workspace, path)) ? await workspace.read(path).catch(() => '') : ''
}

/** Returns the snapshots that runners keep next to a laid test file and compare it with. */
function snapshotsOf(path: string): readonly string[] {
  const { dir, base } = posix.parse(path)
  const beside = (place: string) => posix.join(dir, place)
  return [
    beside(`__snapshots__/${base}.snap`),
    beside(`snapshots/${base}.snap`),
    beside(`snapshots/${base}.md`),
    beside(`${base}.snapshot`),
  ]
}

/** Programs of the machine. Package managers put `node_modules/.bin` before them in the path. */
const ofTheMachine = new Set(
  (
    'node nodejs npm npx pnpm pnpx yarn yarnpkg corepack bun bunx deno sh bash dash ash zsh ksh env git python python3 pip ' +
    'pip3 pytest ruby perl php java javac mvn gradle go cargo rustc gcc cc make cmake cat cp mv rm ls ln mkdir rmdir chmod ' +
    'touch echo printf test [ true false sleep timeout grep sed awk find xargs tee head tail tr cut sort uniq wc uname which ' +
    'dirname basename readlink realpath pwd id date kill ps tar gzip unzip curl wget docker'
  ).split(' '),
)

/**
 * Finds the programs in `node_modules/.bin` that no package manager put there: those that are not links into the
 * packages, all of them if the project has no packages, and those that hide programs of the machine. Programs that an
 * original has may stay.
 */
async function strayPrograms({ copy, tool, cwd, originals, laid }: SteeredRun): Promise<readonly string[]> {
  const linksPrograms = tool === 'npm' || tool === 'yarn'
  const directories = [cwd, ...above(cwd)]
  const hasPackages = await mayHavePackages(originals, directories)
  const strays: string[] = []
  for (const bin of directories.map((one) => below(one, 'node_modules/.bin'))) {
    const directory = join(copy.root, bin)
    if (isLaid(laid, bin)) continue
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) continue
    const packages = realpathSync(join(directory, '..'))
    for (const name of readdirSync(directory)) {
      const isStray = linksPrograms && !isLinkInto(packages, join(directory, name))
      if (!isStray && hasPackages && !ofTheMachine.has(name)) continue
      if (isStray || !(await isGiven(copy, originals, `${bin}/${name}`))) strays.push(`${bin}/${name}`)
    }
  }
  return strays
}

function above(directory: string): readonly string[] {
  if (directory === '.') return []
  const parts = directory.split('/')
  return parts.map((_, index) => parts.slice(0, index).join('/') || '.')
}

function isLinkInto(packages: string, place: string): boolean {
  if (!lstatSync(place).isSymbolicLink()) return false
  return statSync(place, { throwIfNoEntry: false }) === undefined || isInside(packages, realpathSync(place))
}

/** Whether an original has the same bytes there. */
async function isGiven(workspace: Workspace, originals: readonly Workspace[], path: string): Promise<boolean> {
  for (const original of originals) if (await sameFile(workspace, original, path)) return true
  return false
}

/** Whether a project of the originals needs packages. It does if nothing is known about it. */
async function mayHavePackages(originals: readonly Workspace[], directories: readonly string[]): Promise<boolean> {
  let isKnown = false
  for (const original of originals)
    for (const directory of directories) {
      if (await original.exists(below(directory, 'node_modules'))) return true
      const manifest = await manifestOf(original, below(directory, 'package.json'))
      isKnown ||= manifest !== undefined
      if (manifest !== undefined && needsPackages(manifest)) return true
    }
  return !isKnown
}

function needsPackages(manifest: { readonly [key: string]: unknown }): boolean {
  if (manifest['workspaces'] !== undefined) return true
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].some((name) => {
    const wanted = manifest[name]
    return isPlainObject(wanted) && Object.keys(wanted).length > 0
  })
}

/**
 * Removes the files that steer a run from a copy if only the agent has them. Those that the agent changed are restored,
 * unless they define the build.
 *
 * @returns their paths
 */
export async function removeRunnerOverrides(run: SteeredRun): Promise<readonly string[]> {
  const { copy, originals, laid, cwd, signal } = run
  const { absent = await steeringFilesOf(run), sources } = run.overlay
  if (absent.length === 0 && sources === undefined) return []
  // Some loaders look for names without regard to case.
  const matches = await globMatcher(absent, cwd, { nocase: true })
  const isSnapshot = await globMatcher(absent.length === 0 ? [] : laid.flatMap(snapshotsOf), '.')
  const isSource = sources === undefined ? () => true : await globMatcher(sources, cwd)
  const suspects: string[] = []
  const strangers: string[] = []
  for await (const { path, type } of projectEntries(copy, signal, placesOf(absent, cwd))) {
    if (type === 'directory' || isLaid(laid, path)) continue
    if (matches(path) || isSnapshot(path) || (await leadsToMatch(copy.root, path, matches))) suspects.push(path)
    else if (!isSource(path)) strangers.push(path)
  }
  const isDefinition = await globMatcher(buildDefinitions, cwd)
  const changed: string[] = []
  for (const path of suspects) if (await restoreFile(copy, path, originals, isDefinition(path))) changed.push(path)
  for (const path of strangers) if (await removeStranger(copy, path, originals)) changed.push(path)
  const programs = absent.length === 0 ? [] : await strayPrograms(run)
  for (const path of programs) rmSync(join(copy.root, path), { recursive: true, force: true })
  return [...changed, ...programs]
}

function isLaid(laid: readonly string[], path: string): boolean {
  return laid.some((one) => isInside(one, path))
}

/** Removes a file that no original has. */
async function removeStranger(
  copy: ProvisionedWorkspace,
  path: string,
  originals: readonly Workspace[],
): Promise<boolean> {
  for (const original of originals) if (await isFile(original, path)) return false
  rmSync(join(copy.root, path), { recursive: true, force: true })
  return true
}

/**
 * Restores a file from an original, or removes it if none has it. Returns `false` if it may stay as it is.
 *
 * @param mayChange whether the agent may have changed what it was given
 */
async function restoreFile(
  copy: ProvisionedWorkspace,
  path: string,
  originals: readonly Workspace[],
  mayChange: boolean,
): Promise<boolean> {
  const isLink = lstatSync(join(copy.root, path)).isSymbolicLink()
  let source: Workspace | undefined
  for (const original of originals) {
    if (!(await isFile(original, path))) continue
    if (!isLink && (mayChange || (await sameFile(copy, original, path)))) return false
    source ??= original
  }
  rmSync(join(copy.root, path), { recursive: true, force: true })
  if (source !== undefined) await copyInto(copy, source, path)
  return true
}

/** Whether a link to a directory gives one of its files a name that matches. */
async function leadsToMatch(root: string, path: string, matches: (path: string) => boolean): Promise<boolean> {
  const place = join(root, path)
  if (!lstatSync(place).isSymbolicLink() || statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true)
    return false
  const target = relative(root, realpathSync(place))
  for await (const entry of listTree(root, { under: target || '.', ignore: ['.git/'], maxEntries, signal: undefined }))
    if (matches(`${path}/${relative(target, entry.path)}`)) return true
  return false
}
