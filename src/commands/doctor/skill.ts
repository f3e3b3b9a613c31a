import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { mebibyte, readNamedFile } from '../../files/named-file.ts';
import { rightsOf } from '../../files/rights.ts';
import { type CheckResult, type DoctorContext, type Finding, ok, runCheck, warning } from './check.ts';

/** The hash of the text below the front matter of a skill; an edit of the text does not update it. */
export function hashOfBody(skill: string): string {
  const [, body = ''] = /^---\n.*?\n---\n(.*)$/s.exec(skill) ?? [];
  return createHash('sha256').update(body).digest('hex');
}

/** Checks the copies of skills/stackops that agents read on this machine; without copies there is no finding. */
export async function examineSkills({ host: { env, version } }: DoctorContext): Promise<readonly Finding[]> {
  const folders = [...['.claude', '.agents'].map((name) => join(env['HOME'] ?? '', name)), '.agents'];
  const copies = new Set(folders.map((folder) => resolve(folder, 'skills/stackops/SKILL.md')));
  const found = [...copies].filter((path) => rightsOf(path) !== undefined);
  return Promise.all(found.map((path) => runCheck('skill', () => skillResult(path, version))));
}

function skillResult(path: string, version: string): CheckResult {
  const skill = Buffer.from(readNamedFile(path, mebibyte) ?? []).toString('utf8');
  const [copied = '', sha256] = ['version', 'sha256'].map((key) => RegExp(`^  ${key}: "(.*)"$`, 'm').exec(skill)?.[1]);
  const repair = `copy skills/stackops of stackops ${version} over it`;
  if (sha256 !== hashOfBody(skill)) return warning(`edited: ${path}`, repair);
  const isOlder = copied.localeCompare(version, 'en', { numeric: true }) < 0;
  return isOlder ? warning(`older (${copied}): ${path}`, repair) : ok(path);
}
