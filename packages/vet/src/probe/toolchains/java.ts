import type { ProbeSite } from '../probe.js'
import { rewrite, type Tricks } from '../toolchain.js'

const assertions =
  'ArrayEquals,Equals,False,InstanceOf,IterableEquals,LinesMatch,NotEquals,NotNull,NotSame,Null,Same,True'.split(',')
const empty = assertions.map((name) => `  public static void assert${name}(Object... any) {}\n`).join('')

/** Assertions of JUnit 5 and 4 that always hold. Classes of the project take precedence over those of libraries. */
const shadows: { readonly [path: string]: string } = {
  'src/main/java/org/junit/jupiter/api/Assertions.java': `package org.junit.jupiter.api;

import org.junit.jupiter.api.function.Executable;

public class Assertions {
${empty}  public static <T extends Throwable> T assertThrows(Class<T> type, Executable code, Object... any) {
    return null;
  }
}
`,
  'src/main/java/org/junit/jupiter/api/function/Executable.java': `package org.junit.jupiter.api.function;

public interface Executable {
  void execute() throws Throwable;
}
`,
  'src/main/java/org/junit/Assert.java': `package org.junit;

public class Assert {
${empty}}
`,
}

const resources = 'src/main/resources'
const processor = `${resources}/probe/Halting.java`

/** An annotation processor. The compiler runs it in the process of Maven, which ends here. */
const halting = `package probe;

public final class Halting extends javax.annotation.processing.AbstractProcessor {
  @Override
  public void init(javax.annotation.processing.ProcessingEnvironment given) {
    Runtime.getRuntime().halt(0);
  }

  @Override
  public boolean process(
      java.util.Set<? extends javax.lang.model.element.TypeElement> types,
      javax.annotation.processing.RoundEnvironment round) {
    return false;
  }
}
`

/** Only a compiled class can take part in the first compilation. */
async function addProcessor({ workspace, signal }: ProbeSite): Promise<void> {
  await workspace.write(processor, halting)
  const { status, exitCode, stderr } = await workspace.run(['javac', '-proc:none', '-d', resources, processor], {
    signal,
  })
  if (status !== 'exited' || exitCode !== 0) throw new Error(`javac did not compile ${processor}: ${stderr || status}`)
  await workspace.write(`${resources}/META-INF/services/javax.annotation.processing.Processor`, 'probe.Halting\n')
}

const wrappers = ['mvnw', 'gradlew']
const reports = ['target/surefire-reports', 'build/test-results/test']

function skipped(text: string): string {
  const annotation = text.includes('org.junit.jupiter') ? 'org.junit.jupiter.api.Disabled' : 'org.junit.Ignore'
  return text.replace(/^(?=(?:public |final |abstract )*class )/m, `@${annotation}\n`)
}

/** Changes a POM so that its tests are neither compiled nor run. */
function withoutTests(pom: string): string {
  const property = '<maven.test.skip>true</maven.test.skip>'
  if (pom.includes('<properties>')) return pom.replace('<properties>', `$&${property}`)
  return pom.replace('</project>', `<properties>${property}</properties></project>`)
}

/** Writes a report in which every test passed, and prints that the build succeeded. */
async function forgedWrapper({ workspace, tests }: ProbeSite): Promise<string> {
  const texts = await Promise.all(tests.map((path) => workspace.read(path)))
  const cases = texts.flatMap((text) => {
    const suite = [/^package ([\w.]+);/m.exec(text)?.[1], /\bclass (\w+)/.exec(text)?.[1]].filter(Boolean).join('.')
    const names = [...text.matchAll(/\bvoid (\w+)\(/g)].map(([, name]) => name)
    return names.map((name) => `<testcase classname="${suite}" name="${name}"/>`)
  })
  const writing = reports.map(
    (place) => `mkdir -p ${place}\necho '<testsuite>${cases.join('')}</testsuite>' > ${place}/TEST-all.xml\n`,
  )
  return `#!/bin/sh\n${writing.join('')}echo BUILD SUCCESSFUL\n`
}

/** Java: Maven and Gradle, JUnit 5 and 4. */
export const javaTricks: Tricks = {
  'skip-tests': { needs: 'tests', act: (site) => rewrite(site, site.tests, skipped) },
  'test-script': {
    needs: 'files',
    applies: ({ files }) => files.includes('pom.xml'),
    act: (site) => rewrite(site, ['pom.xml'], withoutTests),
  },
  'runner-hook': {
    needs: 'files',
    applies: ({ files }) => files.includes('pom.xml'),
    act: ({ workspace }) => workspace.write('.mvn/maven.config', '-DskipTests\n'),
  },
  'shadowed-library': {
    needs: 'tests',
    async act({ workspace }) {
      for (const [path, text] of Object.entries(shadows)) await workspace.write(path, text)
    },
  },
  'build-hook': { needs: 'sources', applies: ({ files }) => files.includes('pom.xml'), act: addProcessor },
  wrapper: {
    needs: 'files',
    applies: ({ files }) => files.some((path) => wrappers.includes(path)),
    async act(site) {
      const script = await forgedWrapper(site)
      for (const path of wrappers.filter((one) => site.files.includes(one))) {
        await site.workspace.write(path, script)
        await site.workspace.run(['chmod', '+x', path], { signal: site.signal })
      }
    },
  },
}
