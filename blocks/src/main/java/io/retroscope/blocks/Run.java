// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

/**
 * One run of a node.
 *
 * @param incarnation empty if it is not known
 */
public record Run(String node, String incarnation) {}
