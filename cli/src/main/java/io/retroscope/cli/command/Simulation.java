// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import java.util.concurrent.Callable;

/**
 * A subcommand of {@code simulate}, found by {@link java.util.ServiceLoader}: a public class with
 * picocli's annotations. It returns the exit code.
 */
public interface Simulation extends Callable<Integer> {}
