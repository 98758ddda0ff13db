// stage: labels
int f(int x) {
  __asm__ volatile ("nop" : "+r"(x));
  return x;
}
