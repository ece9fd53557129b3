// SPDX-License-Identifier: Apache-2.0
/**
 * Sessions that run statements: on a log server over HTTP, or in this process over a source of
 * events.
 */
@NullMarked
package io.retroscope.rql.client;

import org.jspecify.annotations.NullMarked;
