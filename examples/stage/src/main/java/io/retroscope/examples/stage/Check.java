// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

/**
 * A statement of an oracle, which knows from another source what the answer must be. Immutable.
 *
 * @param statement what must hold, with the figures that were found
 * @param holds whether it does
 */
public record Check(String statement, boolean holds) {}
