// stage: cfa
// model: ILP32
long l;
unsigned long ul;
long long ll;
int f(unsigned char c) {
  ll = l + ul;
  return (int)ll + c + sizeof(long);
}
