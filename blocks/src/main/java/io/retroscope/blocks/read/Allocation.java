// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

/** Where decoded columns get their arrays from. */
interface Allocation {
  /** A new array for each call. */
  Allocation NEW =
      new Allocation() {
        @Override
        public long[] longs(int size) {
          return new long[size];
        }

        @Override
        public int[] ints(int size) {
          return new int[size];
        }

        @Override
        public int[] intsAtLeast(int size) {
          return new int[size];
        }
      };

  /** An array, with anything in it. */
  long[] longs(int size);

  /** An array, with anything in it. */
  int[] ints(int size);

  /** An array of this size or longer, with anything in it. */
  int[] intsAtLeast(int size);
}
