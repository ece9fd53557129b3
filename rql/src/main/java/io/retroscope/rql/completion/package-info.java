// SPDX-License-Identifier: Apache-2.0
/** Completion of statements while they are typed, in the shell and in the console. */
@org.jspecify.annotations.NullMarked
package io.retroscope.rql.completion;
