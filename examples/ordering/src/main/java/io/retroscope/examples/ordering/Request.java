// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.io.Serializable;

/**
 * A client's request to execute a transaction. Immutable.
 *
 * @param id the client's name and a number, such as {@code c1#17}
 */
record Request(String id, Transaction transaction) implements Serializable {}
