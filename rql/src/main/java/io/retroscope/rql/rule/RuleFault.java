// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.rql.diagnostic.RqlException;

/**
 * A statement of a file of rules that is not a rule.
 *
 * @param name the rule's name, as far as it can be recognized, or the place
 * @param place the file and the line, such as {@code raft.rql:3}
 * @param error with places in the text of the file
 */
public record RuleFault(String name, String place, RqlException error) {}
