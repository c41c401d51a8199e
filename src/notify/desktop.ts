/**
 * Shows a notification with the program that the system provides. Texts are passed as arguments or on standard input,
 * and the scripts are fixed, so no text is ever read as a script.
 */

import { codeOf } from '../lib/error-code.ts'
import { exec } from '../lib/process/exec.ts'
import { oneLine } from '../lib/text/printable.ts'
import { failed, type Notification, type Notifier, nextLine } from './notifier.ts'

export type DesktopProgram = 'notify-send' | 'osascript' | 'powershell.exe'

/**
 * The programs that can show a notification on this system, best first. Under WSL, Linux can also start the Windows
 * program.
 */
export function desktopPrograms(platform: NodeJS.Platform): DesktopProgram[] {
  if (platform === 'darwin') return ['osascript']
  return platform === 'win32' ? ['powershell.exe'] : ['notify-send', 'powershell.exe']
}

export interface DesktopOptions {
  /** The program that was found, with its path. Null if there is none. */
  program: { kind: DesktopProgram; path: string } | null
  sound: boolean
  env: Record<string, string>
  limitMs?: number
}

export function desktopNotifier({ program, sound, env, limitMs = 10_000 }: DesktopOptions): Notifier {
  return {
    name: 'desktop',
    async send(notification, signal) {
      if (!program)
        return failed(
          'this system has no program for desktop notifications; umpire doctor says more',
          'never',
        )
      const { args, stdin } = desktopCall(program.kind, notification, sound)
      try {
        const ended = await exec([program.path, ...args], { env, stdin, limitMs, graceMs: 500 }, signal)
        if (ended.code === 0) return { kind: 'delivered' }
        if (ended.timedOut) return failed(`${program.kind} was stopped after ${limitMs / 1000} s`, 'later')
        const said = oneLine(ended.stderr, 160)
        return failed(
          `${program.kind} ended with ${ended.code ?? ended.signal}${said && `: ${said}`}`,
          'later',
        )
      } catch (error) {
        if (signal.aborted) return failed(`${program.kind} was stopped before it finished`, 'later')
        const missing = codeOf(error) === 'ENOENT'
        return failed(`${program.kind} can't be started`, missing ? 'never' : 'later')
      }
    },
  }
}

/** The arguments and standard input of the program. Pure. */
export function desktopCall(
  kind: DesktopProgram,
  notification: Notification,
  sound: boolean,
): { args: string[]; stdin: string } {
  const { title, message, next } = notification
  const body = [message, nextLine(next.slice(0, 1))].filter((part) => part !== '').join('\n')
  switch (kind) {
    case 'notify-send': {
      const hints = sound ? ['--hint=string:sound-name:message-new-instant'] : []
      return { args: ['--app-name=Umpire', ...hints, '--', title, asMarkup(body)], stdin: '' }
    }
    case 'osascript':
      // The script comes on standard input. After the dash nothing is read as an option.
      return { args: ['-', title, body], stdin: appleScript(sound) }
    case 'powershell.exe': {
      const script = Buffer.from(powerShellScript, 'utf16le').toString('base64')
      const stdin = asciiJson({ title, body, sound })
      return { args: ['-NoProfile', '-NonInteractive', '-EncodedCommand', script], stdin }
    }
  }
}

/** The desktop reads the body as markup. Before that, notify-send itself replaces escapes such as `\n`. */
function asMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\\', '\\\\')
}

function appleScript(sound: boolean): string {
  const withSound = sound ? ' sound name "Glass"' : ''
  return [
    'on run argv',
    `display notification (item 2 of argv) with title (item 1 of argv)${withSound}`,
    'end run',
    '',
  ].join('\n')
}

/** PowerShell reads its input in a code page that differs between machines. ASCII is the same in all of them. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Texts become text nodes of the toast's XML. Windows wants the name of a known program, so PowerShell names itself. */
const powerShellScript = `
$ErrorActionPreference = 'Stop'
$told = [Console]::In.ReadToEnd() | ConvertFrom-Json
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$manager = [Windows.UI.Notifications.ToastNotificationManager]
$toast = $manager::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$texts = $toast.GetElementsByTagName('text')
$null = $texts.Item(0).AppendChild($toast.CreateTextNode($told.title))
$null = $texts.Item(1).AppendChild($toast.CreateTextNode($told.body))
if (-not $told.sound) {
  $audio = $toast.CreateElement('audio')
  $audio.SetAttribute('silent', 'true')
  $null = $toast.DocumentElement.AppendChild($audio)
}
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
$manager::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($toast))
`
