// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

/**
 * A rule that runs suggest.
 *
 * @param name of the rule
 * @param sentence for users
 * @param rule in RQL, the text between the parentheses of CREATE RULE
 * @param support the number of runs that have its situation
 */
record Proposal(Template template, String name, String sentence, String rule, int support) {}
