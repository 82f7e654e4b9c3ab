def rotate(tensor, angle):
    return tensor
