// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

/**
 * The parts of a shell that are neither its session nor its settings.
 *
 * @param sound writes the sound of statements
 * @param programs runs other programs
 */
record ShellTools(SoundWriter sound, Subprocess programs) {}
