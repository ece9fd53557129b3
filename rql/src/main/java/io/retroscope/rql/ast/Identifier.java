// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;

/**
 * A name as written.
 *
 * @param text without quotes
 * @param quoted whether it was written in backquotes
 */
public record Identifier(String text, boolean quoted, SourceRange range) implements Node {}
